import { z } from 'zod';
import { etagOf, refuseStale } from '../../../engine/admin/audit/object-states.ts';
import { FORMS, SECTIONS } from '../../../engine/admin/settings/sections.ts';
import { changeSettings, type SettingsInForce, settingsView } from '../../../engine/admin/settings/settings.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { SettingsStore } from '../../../engine/ports/settings-store.ts';
import { type ManagementRoute, route } from '../route.ts';

export interface SettingsRoutesOptions {
  readonly store: { readonly settings: SettingsStore };
  readonly inForce: SettingsInForce;
  readonly clock: Clock;
}

const SETTING = z.object({
  value: z.unknown().meta({ description: 'The value in force in this process. Secrets only show that they are set.' }),
  source: z.enum(['default', 'api', 'file']),
  changeable: z
    .boolean()
    .meta({ description: 'Whether it can be changed here. The others can only be set in the file.' }),
  needs_second_factor: z.literal(true).optional().meta({
    description:
      'Whether only an operator who used a second factor within the last 10 minutes can change it, because the gateway’s security depends on it.',
  }),
  after_restart: z
    .unknown()
    .optional()
    .meta({ description: 'The value that was set over the API since the process started. `null`: the default.' }),
});

const SETTINGS = z
  .object({
    object: z.literal('settings'),
    file: z.string().nullable().meta({ description: 'The configuration file.' }),
    environment: z.record(z.string(), z.string()),
    sections: z.record(z.string(), z.record(z.string(), SETTING)),
    forms: z.record(z.string(), z.record(z.string(), z.unknown())).meta({
      description: 'A JSON Schema of each section that can be changed here, suitable for rendering a form.',
    }),
    restart_needed: z
      .array(z.string())
      .meta({ description: 'Settings that take effect after a restart of the gateways.' }),
  })
  .meta({ id: 'Settings' });

/** A change in the form of the configuration file; `null` resets a field. */
const CHANGE = z.strictObject(
  Object.fromEntries(Object.entries(SECTIONS).map(([name, { schema }]) => [name, schema.optional()])),
);

/** Returns `settings`: the values in force, and their sources. */
export function settingsRoutes({ store, inForce, clock }: SettingsRoutesOptions): readonly ManagementRoute[] {
  const tag = 'Settings';
  const shown = async () => ({
    body: { object: 'settings' as const, ...(await settingsView(store.settings, inForce)), forms: FORMS },
    etag: etagOf(await store.settings.read()),
  });
  const answer = { description: 'All settings by section', schema: SETTINGS };
  return [
    route({
      ...{ method: 'get', path: '/settings', operationId: 'getSettings', tag, answer },
      summary: 'Read the settings',
      description:
        'The values in force in the process that responds, and the source of each: the file, the API or the default.',
      access: { who: 'operator', scope: 'settings:read' },
      handle: shown,
    }),
    route({
      ...{ method: 'patch', path: '/settings', operationId: 'updateSettings', tag, answer },
      summary: 'Change settings',
      description:
        'With the members of the configuration file; `null` resets a field. Changes take effect when a gateway starts. Fields that the file sets can ' +
        'only be changed there. Fields with `needs_second_factor` require an operator’s session in which a second factor was used within the last 10 ' +
        'minutes, never a management token: otherwise 403, whose `param` names the field.',
      access: { who: 'operator', scope: 'settings:write' },
      body: {
        schema: CHANGE,
        examples: { cache: { summary: 'Cache responses for an hour', value: { cache: { ttl_seconds: 3600 } } } },
      },
      handle: async ({ input, origin, requester, ifMatch }) => {
        const before = await store.settings.read();
        refuseStale(ifMatch, () => etagOf(before), 'what was set');
        await changeSettings({ store: store.settings, inForce, clock }, { origin, requester }, input);
        return shown();
      },
    }),
  ];
}
