# SPDX-License-Identifier: Apache-2.0
"""A seed fixes the order of what nothing orders; the virtual clock ends limits of minutes at once.

usage: deterministic.py PROGRAM
"""
import os
import subprocess
import sys
import time

SEEDS, AGAIN, QUICK_S = 6, 4, 20


def run(program, what, **settings):
    env = {k: v for k, v in os.environ.items() if not k.startswith("CANNSIM")}
    env.update(settings)
    done = subprocess.run([program, what], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def main():
    program = sys.argv[1]
    orders = {}
    for seed in range(SEEDS):
        orders[seed] = {run(program, "order", CANNSIM_SEED=str(seed)) for _ in range(AGAIN)}
        assert len(orders[seed]) == 1, "seed %d: %s" % (seed, orders[seed])
    different = set.union(*orders.values())
    print("%d orders from %d seeds" % (len(different), SEEDS))
    assert len(different) > 1, "the seed changes nothing"
    for seeds in ({}, {"CANNSIM_SEED": "1"}):
        begin = time.monotonic()
        text = run(program, "limits", CANNSIM_CLOCK="virtual", **seeds)
        took = time.monotonic() - begin
        print("%s in %.1f s" % (text.replace("\n", "; "), took))
        assert text == "wait: 107019 after 300 s\nsynchronize: 507046\n", text
        assert took < QUICK_S, took


if __name__ == "__main__":
    main()
