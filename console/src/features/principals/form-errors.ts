import { type FieldError, RecordError } from '@anagrafe/client';
import { type RefObject, useEffect, useRef } from 'react';

/** The field errors of a record, by the path of the field (`Users[0].Email`). */
export type Faults = Readonly<Record<string, readonly FieldError[]>>;

export function faultsOf(error: Error | null): Faults {
  return error instanceof RecordError ? error.fieldErrors : {};
}

/** Returns the messages of one field; undefined if it has no errors. */
export function sentenceAt(faults: Faults, path: string): string | undefined {
  return faults[path]?.map(({ message }) => message).join(' ');
}

export function elsewhere(faults: Faults, paths: readonly string[]): string[] {
  return Object.entries(faults)
    .filter(([path]) => !paths.includes(path))
    .flatMap(([, found]) => found.map(({ message }) => message));
}

/** Returns the error, or null if the form shows all of it beside these fields. */
export function errorBesides(error: Error | null, paths: readonly string[]): Error | null {
  const faults = faultsOf(error);
  return Object.keys(faults).length > 0 && elsewhere(faults, paths).length === 0 ? null : error;
}

/** Returns the `ref` of a form; focuses its first invalid field after an error. */
export function useFaultFocus(error: Error | null): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return form;
}
