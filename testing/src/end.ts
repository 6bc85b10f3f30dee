import { afterAll, afterEach } from 'vitest';
import { endFile, endTest } from './endings.ts';

// Vitest runs this setup file for every test file, while other modules stay loaded; so the hooks are registered here.
afterEach(endTest);
afterAll(endFile);
