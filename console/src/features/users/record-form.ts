import { type FieldError, RecordError } from '@anagrafe/client';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { type RefObject, useEffect, useRef } from 'react';
import type { DialogFormProps } from '../../ui/dialog.tsx';

/** The field errors of a record, by the path of the field (`Users[0].Email`). */
export type FieldErrors = Readonly<Record<string, readonly FieldError[]>>;

export function fieldErrorsOf(error: Error | null): FieldErrors {
  return error instanceof RecordError ? error.fieldErrors : {};
}

/** Returns the messages of one field; undefined if it has no errors. */
export function messageAt(errors: FieldErrors, path: string): string | undefined {
  return errors[path]?.map(({ message }) => message).join(' ');
}

/** Returns the messages of all fields that the form does not show. */
export function messagesElsewhere(errors: FieldErrors, shows: (path: string) => boolean): string[] {
  return Object.entries(errors)
    .filter(([path]) => !shows(path))
    .flatMap(([, found]) => found.map(({ message }) => message));
}

interface RecordFormOptions<Input> {
  /** The mutation that sends the record. */
  readonly request: { readonly error: Error | null; readonly isPending: boolean; reset(): void };
  readonly initialValues: Input;
  /** Returns true if the form shows the errors of this path beside a field. */
  readonly shows: (path: string) => boolean;
}

interface RecordForm<Input> {
  readonly form: UseFormReturnType<Input>;
  /** The field errors of the last request. A change of the input clears them. */
  readonly errors: FieldErrors;
  /** The part of the props of `DialogForm` that is the same for all forms of a record. */
  readonly dialogForm: Pick<DialogFormProps, 'ref' | 'noValidate' | 'request'>;
}

/**
 * The form of a record of a principal or of its users. The service validates the record: its field errors are shown
 * beside their fields, the first of which gets the focus, and any other error above the buttons.
 */
export function useRecordForm<Input extends Record<string, unknown>>({
  request: { error, isPending, reset },
  initialValues,
  shows,
}: RecordFormOptions<Input>): RecordForm<Input> {
  const form = useForm<Input>({ initialValues, onValuesChange: () => error && reset() });
  const errors = fieldErrorsOf(error);
  const isShown = Object.keys(errors).length > 0 && messagesElsewhere(errors, shows).length === 0;
  const ref = useErrorFocus(error);
  return {
    form,
    errors,
    dialogForm: { ref, noValidate: true, request: { isPending, error: isShown ? null : error } },
  };
}

/** Returns the `ref` of a form; focuses its first invalid field after an error. */
function useErrorFocus(error: Error | null): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return form;
}
