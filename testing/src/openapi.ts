import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { TestService } from './service.ts';

/** Validates a value against the schema at a path of the document; returns the errors, empty if the value is valid. */
export type Validate = (keys: (string | number)[], value: unknown) => string[];

/** Fetches the OpenAPI document of a service, with a validator for its schemas. */
export async function readDocument<Document extends object>({
  url,
}: TestService): Promise<{ document: Document; validate: Validate }> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi');
  return {
    document,
    validate(keys, value) {
      const pointer = keys
        .map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`)
        .join('');
      const check = ajv.compile({ $ref: `openapi#${encodeURI(pointer)}` });
      check(value);
      return (check.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
    },
  };
}
