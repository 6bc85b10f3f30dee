import { expect, it } from 'vitest';
import { countStatements, expectTruth, operations, startHurtService } from './hurt-answers.ts';
import { faultNames } from './hurting-proxy.ts';

/** Each statement of each operation is hurt before and after its execution, each time by the next fault. */
const rounds = 3;

it.each([
  { transport: 'plain TCP', tls: false },
  { transport: 'TLS', tls: true },
])(
  'no call over $transport gets a false answer, whichever of its statements is hurt, and a call with a key is applied once',
  async ({ transport, tls }) => {
    const tested = await startHurtService({ tls });
    let seed = 0;
    for (const operation of Object.keys(operations))
      for (const keyed of [false, true]) {
        const statements = await countStatements(tested, operation, keyed);
        expect(statements).toBeGreaterThan(keyed ? 4 : 1);
        for (let nth = 1; nth <= statements; nth++)
          for (const when of ['before', 'after'] as const)
            for (let round = 0; round < rounds; round++) {
              const fault = faultNames[seed % faultNames.length] ?? 'a TLS alert';
              await expectTruth(tested, operation, { fault, when, nth, seed: seed++ }, keyed);
            }
      }
    process.stdout.write(`${tested.proxy.hurts()} hurt connections over ${transport}\n`);
    expect(tested.proxy.hurts()).toBeGreaterThan(150);
  },
);
