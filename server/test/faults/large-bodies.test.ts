import { testLargeBodies } from './large-bodies.ts';

testLargeBodies(40_000);
