import { afterAll, afterEach } from 'vitest';
import { endFile, endTest } from './endings.ts';

// Run for every test file, while modules stay from one to the next.
afterEach(endTest);
afterAll(endFile);
