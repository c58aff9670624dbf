"""The selective scan of Mamba (Gu and Dao, 2023): a recurrence whose gates depend on its inputs."""
