"""A neural differential equation: a network that learns how fast a spiral turns, from points of it.

    python examples/neural_ode.py [STEPS]

The network says how fast a point moves; an adaptive Runge-Kutta method (Bogacki and Shampine, 1989)
follows it, in a `while` loop that chooses its steps by its error. The gradient goes back through
that loop, however many steps it took (Chen et al., 2018).
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from training_report import Report

import relay
from relay import layers
from relay.frontend.python import Tensor, float64
from relay.layers import Parameter, initializers

WIDTH, STEPS, PAUSE, TOLERANCE = 32, 3000, 0.4, 1e-4
TRUE = np.array([[-0.1, 2.0], [-2.0, -0.1]])

Point = Tensor[2, float64]
Weights = tuple[Tensor[2, WIDTH, float64], Tensor[WIDTH, float64], Tensor[WIDTH, 2, float64]]


@relay.function
def speed(y: Point, weights: Weights) -> Point:
    """Return how fast a point moves, by the network."""
    first, bias, second = weights
    return np.tanh((y**3) @ first + bias) @ second


@relay.function
def flow(y: Point, duration: float64, weights: Weights) -> tuple[Point, float64]:
    """Return where a point is after some time, and how many evaluations that took."""
    time = np.float64(0.0)
    h = np.float64(0.1)
    count = np.float64(1.0)
    k1 = speed(y, weights)
    while time < duration:
        h = min(h, duration - time)
        k2 = speed(y + h / 2 * k1, weights)
        k3 = speed(y + 3 * h / 4 * k2, weights)
        new = y + h / 9 * (2 * k1 + 3 * k2 + 4 * k3)
        k4 = speed(new, weights)
        error = np.max(np.abs(h / 72 * (6 * k2 + 8 * k3 - 5 * k1 - 9 * k4))) + 1e-12
        if error < TOLERANCE:
            time, y, k1 = time + h, new, k4
        factor = 0.9 * (TOLERANCE / error) ** (1 / 3)
        h = relay.stop_gradient(h * np.clip(factor, 0.3, 3.0))
        count = count + 3.0
    return y, count


@relay.function
def loss(
    weights: Weights, begins: Tensor["n", 2, float64], ends: Tensor["n", 2, float64]
) -> float64:
    """Return the mean squared distance from where points are after a pause."""
    total = np.float64(0.0)
    for i in range(begins.shape[0]):
        found, _ = flow(begins[i], PAUSE, weights)
        total = total + np.sum((found - ends[i]) ** 2)
    return total / begins.shape[0]


def spiral(begin: Any, count: int) -> Any:
    """Return points of the true spiral, one after each pause, by many small steps."""
    points, y = [begin], begin
    small = 0.001
    for _ in range(count):
        for _ in range(round(PAUSE / small)):
            middle = y + small / 2 * (y**3 @ TRUE)
            y = y + small * (middle**3 @ TRUE)
        points.append(y)
    return np.array(points)


def main(steps: int) -> None:
    """Train, draw the loss, and follow the spiral alone."""
    points = spiral(np.array([2.0, 0.0]), 60)
    shapes = ((2, WIDTH), (WIDTH,), (WIDTH, 2))
    specs = tuple(
        Parameter(relay.TensorType(shape, "float64"), initializers.normal(0.3)) for shape in shapes
    )
    optimizer = layers.adam(layers.cosine_decay(1e-2, steps))
    weights, memory = layers.initialize((specs, optimizer.init(specs)), seed=3)

    def update(weights: Any, memory: Any, gradients: Any) -> Any:
        updates, after = optimizer.update(gradients, memory, weights)
        return layers.apply_updates(weights, updates), after

    slopes = relay.compile(relay.value_and_grad(loss))
    updated = layers.compile_function(update, weights, memory, weights)
    random = np.random.default_rng(0)
    with Report("neural ODE", steps) as report:
        for _ in range(steps):
            chosen = random.choice(60, 16, replace=False)
            value, gradients = slopes(weights, points[chosen], points[chosen + 1])
            weights, memory = updated(weights, memory, gradients)
            report.step(float(value))
    report.draw(Path("neural_ode.svg"))
    follow = relay.compile(flow)
    end, count = follow(points[0], 10 * PAUSE, weights)
    away = np.linalg.norm(end - points[10])
    print(f"after 10 pauses it is {away:.3f} away from the spiral, by {count:.0f} evaluations")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)
