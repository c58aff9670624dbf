"""Executables with symbolic dimensions: one program for each set of shapes."""

import threading

import numpy as np
import pytest

from relay.runtime import Executable, NativeExecutable, Signature, Specialising, TensorSpec
from relay.runtime.artefact import Packer, write_container
from relay.runtime.data_json import fields_to_json
from relay.runtime.program_json import program_to_json
from relay.support.error_codes import ErrorCode
from relay.support.errors import ArtefactError, CompileError, RunError

SIGNATURE = Signature(
    [TensorSpec("x", ("n", 2), "float32")], [TensorSpec("y", ("n", 2), "float32")]
)


class Compiler:
    """Makes programs, and remembers for which shapes."""

    def __init__(self, programs):
        self.programs = programs
        self.asked = []

    def __call__(self, shapes):
        self.asked.append(shapes)
        return self.programs.affine_program(shapes[0])


@pytest.fixture
def compiler(programs):
    return Compiler(programs)


def ones(n: int) -> np.ndarray:
    return np.ones((n, 2), "float32")


def test_each_shape_is_compiled_once(programs, compiler):
    fast = Specialising(SIGNATURE, compiler)
    for n in (1, 3, 1, 0, 3):
        np.testing.assert_array_equal(fast(ones(n)), programs.affine(ones(n)))
    assert compiler.asked == [((1, 2),), ((3, 2),), ((0, 2),)]
    assert fast.specialisations == (((1, 2),), ((0, 2),), ((3, 2),))


def test_the_least_recently_used_program_leaves(compiler):
    fast = Specialising(SIGNATURE, compiler, capacity=2)
    for n in (1, 2, 1, 3, 1, 2):
        fast(ones(n))
    assert [shapes[0][0] for shapes in compiler.asked] == [1, 2, 3, 2]


def test_threads_wait_for_one_compilation(programs, compiler):
    started, go = threading.Event(), threading.Event()

    def slow(shapes):
        started.set()
        assert go.wait(30)
        return compiler(shapes)

    fast = Specialising(SIGNATURE, slow)
    results = []
    threads = [threading.Thread(target=lambda: results.append(fast(ones(4)))) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert started.wait(30)
    go.set()
    for thread in threads:
        thread.join(30)
    assert len(compiler.asked) == 1
    assert all(np.array_equal(r, programs.affine(ones(4))) for r in results)
    assert len(results) == 5


def test_a_failure_is_raised_and_not_remembered(programs):
    answers = [CompileError(ErrorCode.C001, "no"), programs.affine_program((1, 2))]

    def once(shapes):
        answer = answers.pop(0)
        if isinstance(answer, CompileError):
            raise answer
        return answer

    fast = Specialising(SIGNATURE, once)
    with pytest.raises(CompileError):
        fast(ones(1))
    assert fast.specialisations == ()
    assert fast(ones(1)).shape == (1, 2)


def test_a_file_holds_the_shapes_made_so_far(programs, compiler, tmp_path):
    fast = Specialising(SIGNATURE, compiler)
    fast(ones(1))
    fast.prepare((5, 2))
    fast.save(tmp_path / "m.relay")
    loaded = Executable.load(tmp_path / "m.relay")
    assert isinstance(loaded, Specialising)
    assert loaded.signature == SIGNATURE
    for n in (1, 5):
        np.testing.assert_array_equal(loaded(ones(n)), programs.affine(ones(n)))
    with pytest.raises(RunError) as caught:
        loaded(ones(2))
    assert caught.value.code == "R011"
    assert "x: [2, 2]" in caught.value.message
    assert [n.split("for ")[1] for n in caught.value.notes] == ["x: [1, 2]", "x: [5, 2]"]


def test_a_loaded_file_can_be_saved_again(programs, compiler, tmp_path):
    fast = Specialising(SIGNATURE, compiler)
    fast.prepare((1, 2))
    fast.save(tmp_path / "m.relay")
    Executable.load(tmp_path / "m.relay").save(tmp_path / "m.relay")  # onto the mapped file
    again = Executable.load(tmp_path / "m.relay")
    np.testing.assert_array_equal(again(ones(1)), programs.affine(ones(1)))


def test_shapes_to_prepare_are_checked(compiler):
    fast = Specialising(SIGNATURE, compiler)
    for shapes, code in [(((1, 3),), "R005"), (((1,),), "R004"), ((), "R001")]:
        with pytest.raises(RunError) as caught:
            fast.prepare(*shapes)
        assert caught.value.code == code
    assert compiler.asked == []


def test_profile_and_run_use_the_program_of_the_shape(compiler):
    fast = Specialising(SIGNATURE, compiler, threads=1)
    assert fast.profile(ones(3)).steps[0].flops == 6
    assert fast.run(x=ones(3))["y"].shape == (3, 2)


def test_a_program_that_does_not_fit_the_signature_is_refused(programs, tmp_path):
    for shape in [(1, 3), (2,)]:
        packer = Packer()
        program = program_to_json(programs.affine_program(shape), packer)
        body = {"signature": fields_to_json(SIGNATURE, packer), "programs": [program]}
        write_container(tmp_path / "m.relay", packer.container("specialising", body))
        with pytest.raises(ArtefactError) as caught:
            Executable.load(tmp_path / "m.relay")
        assert caught.value.code == "A006"


def test_equal_constants_are_stored_once(programs, tmp_path):
    fast = Specialising(SIGNATURE, programs=[programs.affine_program((2, 2))])
    native = NativeExecutable(programs.affine_program((2, 2)))
    assert len(fast.pack().sections) == len(native.pack().sections)
