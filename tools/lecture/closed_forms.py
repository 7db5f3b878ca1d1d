"""Section 5 of the lecture: the time of an all-reduce of n bytes over p devices, a power of two, whose paths have the start-up
time alpha and the bandwidth beta."""

from math import log2


def ring(p, n, alpha, beta):
    return 2 * (p - 1) * (alpha + n / p / beta)


def recursive_doubling(p, n, alpha, beta):
    return log2(p) * (alpha + n / beta)


def rabenseifner(p, n, alpha, beta):
    return 2 * log2(p) * alpha + 2 * (p - 1) / p * n / beta


def tree(p, n, alpha, beta):
    return 2 * log2(p) * (alpha + n / beta)


def naive(p, n, alpha, beta):
    return 2 * (alpha + (p - 1) * n / beta)


def in_network(p, n, alpha, beta):
    return alpha + n / beta


ALL_REDUCE = {
    "ring": ring,
    "recursive-doubling": recursive_doubling,
    "rabenseifner": rabenseifner,
    "tree": tree,
    "naive": naive,
    "in-network": in_network,
}
