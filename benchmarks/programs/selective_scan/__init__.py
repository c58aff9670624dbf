"""The selective scan of Mamba (Gu and Dao, 2023): a recurrence with gates of its inputs."""
