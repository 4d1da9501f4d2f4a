"""Measure how agents in a multi-agent system should remember each other's decisions."""

__version__ = "0.1.0"
