import { progressOf, roundsOf } from '@anagrafe/testing/rounds';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  countStatements,
  expectTruth,
  type HurtService,
  operationNames,
  startHurtService,
} from './hurt-answers.ts';
import { faultNames } from './hurting-proxy.ts';

describe.each([
  { transport: 'plain TCP', tls: false },
  { transport: 'TLS', tls: true },
])('over $transport', ({ transport, tls }) => {
  let tested: HurtService;
  let seed = inject('seed') % 100_000;
  const hits: Record<string, number> = {};
  /** Rounds whose statement did not come: a call may need fewer statements than the one that was counted. */
  let missed = 0;
  /** Skips one fault after each turn, so that a fault is not always before, or always after the execution. */
  const nextFault = () => {
    const turn = Math.floor(seed / faultNames.length);
    return faultNames[(seed++ + turn) % faultNames.length] ?? 'a TLS alert';
  };
  beforeAll(async () => {
    tested = await startHurtService({ tls });
  });
  afterAll(() => {
    const total = tested.proxy.hurts();
    process.stdout.write(
      `${total} hurt connections over ${transport}, ${missed} missed: ${JSON.stringify(hits)}\n`,
    );
    expect(total).toBeGreaterThan(300);
    expect(missed).toBeLessThan(total / 20);
  });

  describe.each([
    { kind: 'without a key', keyed: false },
    { kind: 'with a key', keyed: true },
  ])('a call $kind', ({ kind, keyed }) => {
    it.each(operationNames)(
      'gets no false answer to "%s", whichever of its statements is hurt',
      async (operation) => {
        const call = { operation, keyed };
        const statements = await countStatements(tested, call);
        const hurts = statements * roundsOf(1);
        const report = progressOf(`hurt-answers, ${operation} ${kind} over ${transport}`, hurts);
        for (let hurt = 0; hurt < hurts; hurt++) {
          const nth = 1 + (hurt % statements);
          for (const when of ['before', 'after'] as const) {
            const fault = nextFault();
            await expectTruth(tested, call, { fault, when, nth, seed });
            if (tested.proxy.hit() === null) missed++;
            else for (const name of [operation, fault]) hits[name] = (hits[name] ?? 0) + 1;
          }
          report(hurt + 1);
        }
      },
    );
  });
});
