import { Type } from 'typebox';
import { answers, page } from '../http/answer-schemas.ts';
import { pageEnvelope } from '../http/envelope.ts';
import { debugOf } from '../http/request-context.ts';
import { CallHeaders, CallQuery, named, oneOf, strictObject } from '../http/schemas.ts';
import type { Api } from '../http/validation.ts';
import {
  type Config,
  prefix,
  type SettingSource,
  settingSource,
  settingSources,
  settings,
} from './config.ts';
import type { Setting } from './setting.ts';

/** Settings of commands, which the service does not use. */
const ofCommands: readonly string[] = ['URL', 'KEY'];

export interface ShownSetting {
  readonly name: string;
  /** The value for people; a secret is masked. */
  readonly value: string;
  readonly source: SettingSource;
}

/** Returns the settings that a service with this configuration uses. */
export function serviceSettings(config: Config): ShownSetting[] {
  return Object.entries(settings)
    .filter(([name]) => !ofCommands.includes(name))
    .map(([name, setting]) => ({
      name: prefix + name,
      value: (setting as Setting<unknown>).show(config[name as keyof Config]),
      source: settingSource(config, name),
    }));
}

/** Registers `GET /settings`: the settings of the node that responds. */
export function settingsRoute(app: Api, shown: readonly ShownSetting[]): void {
  app.get(
    '/settings',
    {
      config: { permission: 'service.read' },
      schema: {
        operationId: 'settings',
        summary: 'List settings',
        description:
          'Returns the settings with which the responding node was started, by their names. Secrets are masked. `anagrafe config --running` compares them with the settings of a terminal.',
        tags: ['admin'],
        querystring: CallQuery,
        headers: CallHeaders,
        response: settingsAnswers,
      },
    },
    async (request) => {
      const records = shown.map(({ name, value, source }) => ({
        Name: name,
        Value: value,
        Source: source,
      }));
      return pageEnvelope(
        { totalCount: records.length, pageSize: records.length },
        records,
        debugOf(request),
      );
    },
  );
}

const SettingSchema = named(
  'Setting',
  strictObject(
    {
      Name: Type.String({ description: 'The name of the environment variable.' }),
      Value: Type.String({ description: 'The value as text, masked if it is a secret.' }),
      Source: oneOf(settingSources, { description: '`file`: the settings file.' }),
    },
    { description: 'A setting of the service.' },
  ),
);
const settingsAnswers = answers('All settings.', page('SettingsEnvelope', SettingSchema));
