import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder for what is made once in a run. */
    prepared: string;
  }
}

/** Clears away, when all tests are done, what was prepared for them. */
export default function setup(project: TestProject): () => void {
  const folder = project.config.provide.prepared as string;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** What takes long to make is made by the first test file that needs it; the others wait. Gives the folder that it is in. */
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
  while (!(await exists(made))) {
    if (await exists(failed)) throw new Error(`another test file could not make ${name}`);
    await sleep(50);
  }
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
