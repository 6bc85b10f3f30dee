import { TestRunner } from 'vitest';

type Ending = () => Promise<void> | void;

const testEndings: Ending[] = [];
const fileEndings: Ending[] = [];

/** Registers a function that runs when the current test ends. */
export function afterTest(ending: Ending): void {
  testEndings.push(ending);
}

/** Registers a function that runs when the current test file ends. */
export function atEnd(ending: Ending): void {
  fileEndings.push(ending);
}

/** Registers a function that runs when the current test ends; outside of a test, when the current test file ends. */
export function afterUse(ending: Ending): void {
  (TestRunner.getCurrentTest() ? testEndings : fileEndings).push(ending);
}

export const endTest = () => endAll(testEndings);
export const endFile = () => endAll(fileEndings);

/** Runs the last registered function first, because it may need what an earlier one cleans up. An error skips none. */
async function endAll(endings: Ending[]): Promise<void> {
  const errors: unknown[] = [];
  for (let ending = endings.pop(); ending; ending = endings.pop()) {
    try {
      await ending();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'not everything could be ended');
}
