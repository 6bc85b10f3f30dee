import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { until } from './until.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder for data that is prepared once per run. */
    prepared: string;
  }
}

/** Deletes the prepared data when the run ends. */
export default function setup(project: TestProject): () => void {
  const folder = project.config.provide.prepared as string;
  return () => rmSync(folder, { recursive: true, force: true });
}

/**
 * Creates data once per run, because it is slow to create: the first test file that needs it calls `make`, and the
 * others wait. Returns the folder that `make` received.
 */
export async function prepared(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(inject('prepared'), name);
  const [made, failed] = [`${folder}.made`, `${folder}.failed`];
  mkdirSync(inject('prepared'), { recursive: true, mode: 0o711 });
  if (isFirst(folder)) {
    await make(folder).catch((error: unknown) => {
      writeFileSync(failed, String(error));
      throw error;
    });
    writeFileSync(made, '');
  }
  await until(
    async () => {
      if (await exists(failed)) throw new Error(`another test file failed to prepare ${name}`);
      return exists(made);
    },
    () => `another test file to prepare ${name}`,
  );
  return folder;
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o711 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
