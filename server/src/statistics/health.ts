import { once } from 'node:events';
import { statfs } from 'node:fs/promises';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Mailer } from '../mail/mailer.ts';

export interface DatabaseHealth {
  readonly version: string;
  readonly bytes: number;
  /** Mails to users that wait to be sent. */
  readonly mailsPending: number;
}

export interface CertificateHealth {
  readonly host: string;
  /** Null if it could not be read; `error` then says why. */
  readonly validTo: Date | null;
  /** Also for a certificate that browsers refuse. */
  readonly error: string | null;
}

export interface Health {
  readonly database: DatabaseHealth;
  /** The disk of the data folder; null if it cannot be read. */
  readonly disk: { readonly bytes: number; readonly free: number } | null;
  /** Null if the public URL is not https. */
  readonly certificate: CertificateHealth | null;
  /** Null if no mail server is configured. */
  readonly mail: { readonly error: string | null } | null;
  readonly backup: BackupHealth | null;
}

/** `takenAt` is null if there is no backup yet. */
export interface BackupHealth {
  readonly takenAt: Date | null;
}

export interface HealthTools {
  readDatabase(): Promise<DatabaseHealth>;
  readonly dataFolder: string;
  readonly publicUrl: string | null;
  readonly mailer: Mailer | null;
  /** Returns null if no backups are configured. */
  readBackup(): Promise<BackupHealth | null>;
}

/** The time for which an answer of other machines is repeated, so that requests cannot make the service connect often. */
const keptMs = 60_000;
const limitMs = 8_000;

/** Returns a function that examines what the service depends on. */
export function openHealth({
  readDatabase,
  readBackup,
  dataFolder,
  publicUrl,
  mailer,
}: HealthTools): () => Promise<Health> {
  const certificate = kept(async () => (publicUrl === null ? null : readCertificate(new URL(publicUrl))));
  const mail = kept(async () => mailer && { error: await inTime(mailer.check()) });
  const backup = kept(readBackup);
  return async () => ({
    database: await readDatabase(),
    disk: await readDisk(dataFolder),
    certificate: await certificate(),
    mail: await mail(),
    backup: await backup(),
  });
}

/** Repeats the result of a function for a minute; concurrent calls share one. */
function kept<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let latest: { readonly at: number; readonly result: Promise<Result> } | null = null;
  return () => {
    if (!latest || performance.now() - latest.at > keptMs) latest = { at: performance.now(), result: read() };
    return latest.result;
  };
}

async function inTime(check: Promise<string | null>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${limitMs / 1000} s`), limitMs);
  });
  return Promise.race([check, late]).finally(() => clearTimeout(timer));
}

async function readDisk(folder: string): Promise<Health['disk']> {
  const disk = await statfs(folder).catch(() => null);
  return disk && { bytes: disk.blocks * disk.bsize, free: disk.bavail * disk.bsize };
}

async function readCertificate({ protocol, hostname, port }: URL): Promise<CertificateHealth | null> {
  if (protocol !== 'https:') return null;
  const host = hostname.replace(/^\[|\]$/g, '');
  // The certificate is read although it may not be valid, so that the page can show why.
  const socket: TLSSocket = connect({
    host,
    port: Number(port) || 443,
    rejectUnauthorized: false,
    ...(isIP(host) === 0 && { servername: host }),
  });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(limitMs) });
    const validTo = new Date(socket.getPeerCertificate().valid_to);
    const error = socket.authorized ? null : String(socket.authorizationError);
    return { host, validTo: Number.isNaN(validTo.getTime()) ? null : validTo, error };
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return { host, validTo: null, error: code ?? name };
  } finally {
    socket.destroy();
  }
}
