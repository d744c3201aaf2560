import { z } from 'zod';
import { etagOf } from '../../../engine/admin/audit/object-states.ts';
import { refuseStale } from '../../../engine/admin/audit/refuse-stale.ts';
import { FORMS } from '../../../engine/admin/settings/forms.ts';
import { SECTIONS } from '../../../engine/admin/settings/sections.ts';
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
  value: z.unknown().meta({ description: 'What is in force in this process; of a secret only that it is set.' }),
  source: z.enum(['default', 'api', 'file']),
  changeable: z.boolean().meta({ description: 'Whether it can be changed here: only a file says the others.' }),
  needs_second_factor: z.literal(true).optional().meta({
    description:
      'The gateway’s trust hangs on it: only an operator can change it here who has used a second factor within the last 10 minutes.',
  }),
  after_restart: z
    .unknown()
    .optional()
    .meta({ description: 'What was set over the API since the process started; `null` for the default.' }),
});

const SETTINGS = z
  .object({
    object: z.literal('settings'),
    file: z.string().nullable().meta({ description: 'The configuration file.' }),
    environment: z.record(z.string(), z.string()),
    sections: z.record(z.string(), z.record(z.string(), SETTING)),
    forms: z.record(z.string(), z.record(z.string(), z.unknown())).meta({
      description: 'A JSON Schema of each section that can be changed here, from which a form can be drawn.',
    }),
    restart_needed: z.array(z.string()).meta({ description: 'What waits for a restart of the gateways.' }),
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
    body: { object: 'settings', ...(await settingsView(store.settings, inForce)), forms: FORMS },
    etag: etagOf(await store.settings.read()),
  });
  const answer = { description: 'All settings by section', schema: SETTINGS };
  return [
    route({
      ...{ method: 'get', path: '/settings', operationId: 'getSettings', tag, answer },
      summary: 'Read the settings',
      description: 'What is in force in the process that answers, and whether the file, the API or nobody has said it.',
      access: { who: 'operator', scope: 'settings:read' },
      handle: shown,
    }),
    route({
      ...{ method: 'patch', path: '/settings', operationId: 'updateSettings', tag, answer },
      summary: 'Change settings',
      description:
        'In the words of the configuration file; `null` takes a field back. Gateways take it over when they start. What the file ' +
        'says is changed there. What has `needs_second_factor` is changed only by an operator’s session in which a second factor was used ' +
        'within the last 10 minutes, never with a management token: otherwise 403, whose `param` names it.',
      access: { who: 'operator', scope: 'settings:write' },
      body: {
        schema: CHANGE,
        examples: { cache: { summary: 'Keep answers for an hour', value: { cache: { ttl_seconds: 3600 } } } },
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
