import { progressOf, roundsOf } from '@anagrafe/testing/rounds';
import { startTestService } from '@anagrafe/testing/service';
import { inject, it } from 'vitest';
import { expectLimitedAnswers } from './limited-model.ts';

/** The model of a service looks through everything that it has stored, so each service gets only so many requests. */
const requestsPerService = 1000;

it('each random request of limited callers gets the answer of a model that filters in memory', async () => {
  const requests = roundsOf(10_000);
  const report = progressOf('limited-random', requests);
  for (let sent = 0; sent < requests; sent += requestsPerService) {
    const service = await startTestService();
    await expectLimitedAnswers(service, Math.min(requestsPerService, requests - sent), inject('seed') + sent);
    await service.stop();
    report(Math.min(sent + requestsPerService, requests));
  }
});
