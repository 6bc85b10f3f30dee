import { testLargeBodies } from './large-bodies.ts';

// As many users as a job may have.
testLargeBodies(100_000);
