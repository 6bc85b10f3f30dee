import { afterAll } from 'vitest';
import { endAll } from './endings.ts';

// Run for every test file, while modules stay from one to the next.
afterAll(endAll);
