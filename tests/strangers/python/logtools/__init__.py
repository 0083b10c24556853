from .reader import count_errors

__all__ = ["count_errors"]
