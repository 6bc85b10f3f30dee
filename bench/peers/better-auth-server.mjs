// Better Auth as its documentation sets it up for Node.js. The benchmark copies this file to the folder in which Better
// Auth is installed, and runs it there.
import { createServer } from 'node:http';
import { hash, verify } from '@node-rs/argon2';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { admin } from 'better-auth/plugins';
import pg from 'pg';

const settings = JSON.parse(process.env.SETTINGS);

const options = {
  baseURL: settings.url,
  database: new pg.Pool(settings.database),
  emailAndPassword: {
    enabled: true,
    password: {
      hash: (password) => hash(password, settings.cost),
      verify: ({ hash: kept, password }) => verify(kept, password),
    },
  },
  plugins: [admin()],
  // The default in production is 100 requests per 10 seconds and address.
  rateLimit: { enabled: false },
  logger: { level: 'error' },
  telemetry: { enabled: false },
};

const { runMigrations } = await getMigrations(options);
await runMigrations();
const auth = betterAuth(options);
await auth.api.createUser({ body: { ...settings.admin, name: 'Admin', role: 'admin' } });
createServer(toNodeHandler(auth)).listen(settings.port, '127.0.0.1');
