"""Kernel perceptrons, the baselines."""

from hinge.perceptron._perceptron import KernelPerceptron

__all__ = ["KernelPerceptron"]
