import { startTestService } from '@anagrafe/testing/service';
import { it } from 'vitest';
import { expectLimitedAnswers } from './limited-model.ts';

const requestsPerTest = 1000;
const count = Math.ceil(Number(process.env.LIMITED_REQUESTS ?? 10_000) / requestsPerTest);
const parts = Array.from({ length: count }, (_, at) => at + 1);
const seed = Number(process.env.LIMITED_SEED ?? Math.trunc(Math.random() * 2 ** 31));

it.each(parts)(
  `each of ${requestsPerTest} random requests of limited callers gets the answer of a model that filters in memory (part %i, LIMITED_SEED=${seed})`,
  async (part) => {
    await expectLimitedAnswers(await startTestService(), requestsPerTest, seed + part);
  },
  600_000,
);
