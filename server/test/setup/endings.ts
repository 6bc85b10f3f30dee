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

/** What was begun last may need what was begun before. */
async function endAll(endings: Ending[]): Promise<void> {
  for (let ending = endings.pop(); ending; ending = endings.pop()) await ending();
}
