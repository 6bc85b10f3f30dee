/** Sums by key. A key whose sum is zero takes no memory. */
export class Sums {
  readonly #byKey = new Map<string, number>();

  add(key: string, amount: number): void {
    const sum = this.of(key) + amount;
    if (sum === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, sum);
  }

  of(key: string): number {
    return this.#byKey.get(key) ?? 0;
  }

  entries(): Iterable<readonly [key: string, sum: number]> {
    return this.#byKey.entries();
  }
}
