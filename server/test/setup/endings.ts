type Ending = () => Promise<void> | void;

const ofTest: Ending[] = [];
const ofFile: Ending[] = [];

/** Has something done when the test ends. */
export function afterTest(ending: Ending): void {
  ofTest.push(ending);
}

/** Has something done when the test file ends. */
export function atEnd(ending: Ending): void {
  ofFile.push(ending);
}

export const endTest = () => endAll(ofTest);
export const endFile = () => endAll(ofFile);

/** The last one first, since it may need what was begun before it; and all of them, whatever becomes of one. */
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
