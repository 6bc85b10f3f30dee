import { causeOf } from './cause.ts';
import { useCauseWords } from './words.ts';

const answerText = /^the receiver answered (\d+)$/;

/** Why a webhook was disabled: the service has it in English, or as the code of the machine. */
export function useWhy(): (why: string) => string {
  const { causes, byHand, clientRevoked, clientLostAdmin, answered, unknown } = useCauseWords();
  return (why) => {
    if (why === 'by hand') return byHand;
    if (why === 'its client was revoked') return clientRevoked;
    if (why === 'its client lost the scope admin') return clientLostAdmin;
    const [, status] = answerText.exec(why) ?? [];
    if (status) return answered(status);
    const cause = causeOf({ Status: null, Failure: why });
    return cause === null || cause === 'other' ? unknown(why) : causes[cause].what;
  };
}
