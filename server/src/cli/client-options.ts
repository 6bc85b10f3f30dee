import { InvalidArgumentError, Option } from 'commander';
import { type Scope, scopes } from '../core/access/clients.ts';
import { isNetwork } from '../network.ts';

export function scopeOption(): Option {
  return new Option('--scope <scopes>', 'what it may do, with commas between')
    .choices(scopes)
    .argParser(readScopes);
}

function readScopes(text: string): Scope[] {
  const wanted = text.split(',').map((scope) => scope.trim());
  const known = wanted.filter((scope): scope is Scope => (scopes as readonly string[]).includes(scope));
  if (known.length !== wanted.length)
    throw new InvalidArgumentError(`It takes ${scopes.join(', ')}, with commas between.`);
  return known;
}

export function readNetworks(text: string): string[] {
  const networks = text.split(',').map((network) => network.trim());
  if (!networks.every(isNetwork))
    throw new InvalidArgumentError('It takes addresses or networks such as 10.0.0.0/8, with commas between.');
  return networks;
}

export function readHours(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It takes a number of hours.');
  return Number(text);
}
