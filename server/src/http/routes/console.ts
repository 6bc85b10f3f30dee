import type { FastifyInstance } from 'fastify';
export function consoleRoute(_app: FastifyInstance): void {}
