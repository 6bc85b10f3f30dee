import { startTestService, type TestService } from '@anagrafe/testing/service';
import fc from 'fast-check';
import { beforeAll, it } from 'vitest';
import { calls, expectModel } from './synchronisation-model.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** Several tests, because all sequences together take longer than the time limit of a test on a slow machine. */
const thousands = Array.from({ length: 10 }, (_, at) => at + 1);

it.each(thousands)(
  'irs/export returns what a model of the service has stored after each of 1,000 sequences of calls (%i of 10)',
  async () => {
    await fc.assert(
      fc.asyncProperty(calls, (sequence) => expectModel(service, sequence)),
      { numRuns: 1000 },
    );
  },
);
