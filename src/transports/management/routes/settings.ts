import { z } from 'zod';
import { etagOf, refuseStale } from '../../../engine/admin/audit/object-states.ts';
import { brandingView, type LiveBranding } from '../../../engine/admin/settings/live-branding.ts';
import { SECTIONS, settingsForms } from '../../../engine/admin/settings/sections.ts';
import {
  changeSettings,
  nextMail,
  type SettingsInForce,
  settingsView,
} from '../../../engine/admin/settings/settings.ts';
import { shownSections } from '../../../engine/admin/settings/shown-value.ts';
import { type MailInUse, sendTestMail, testedMail } from '../../../engine/admin/settings/test-mail.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import { MAIL_PROBLEMS } from '../../../engine/ports/mailer.ts';
import type { PeopleStore } from '../../../engine/ports/people-store.ts';
import type { SettingsStore } from '../../../engine/ports/settings-store.ts';
import { type ManagementRoute, route } from '../route.ts';

export interface SettingsRoutesOptions {
  readonly store: { readonly settings: SettingsStore; readonly people: Pick<PeopleStore, 'countAttempts'> };
  readonly inForce: SettingsInForce;
  readonly clock: Clock;
  readonly branding: Pick<LiveBranding, 'current'>;
  readonly mail: MailInUse;
}

const SETTING = z.object({
  value: z.unknown().meta({ description: 'The value in force in this process. Secrets only show that they are set.' }),
  source: z.enum(['default', 'api', 'file']),
  variables: z
    .array(z.string())
    .optional()
    .meta({ description: 'The environment variables that the value in the file refers to.' }),
  changeable: z
    .boolean()
    .meta({ description: 'Whether it can be changed here. The others can only be set in the file.' }),
  needs_second_factor: z.literal(true).optional().meta({
    description:
      'Whether only an operator who used a second factor within the last 10 minutes can change it, because the gateway’s security depends on it.',
  }),
  applies_at_once: z.literal(true).optional().meta({
    description: 'Whether a change takes effect within seconds. The others take effect when a gateway starts.',
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
    branding: z
      .object({
        name: z.string(),
        logo_url: z.string().nullable(),
        style_url: z.string().nullable().meta({ description: 'A stylesheet with the accent colors of both themes.' }),
        support_url: z.string().nullable(),
      })
      .meta({ description: 'What every page shows now. Its addresses are relative to the gateway’s own.' }),
    mail: z
      .object({
        from: z.string(),
        pending: z.boolean().meta({ description: 'Whether it is used only after a restart.' }),
      })
      .nullable()
      .meta({ description: 'The mail server that a test email uses; `null` without one.' }),
  })
  .meta({ id: 'Settings' });

/** A change in the form of the configuration file; `null` resets a field. */
const CHANGE = z.strictObject(
  Object.fromEntries(Object.entries(SECTIONS).map(([name, { schema }]) => [name, schema.optional()])),
);

const MAIL_TEST = z
  .object({
    object: z.literal('mail_test'),
    to: z.string(),
    from: z.string(),
    pending: z.boolean().meta({ description: 'Whether the mail server is used only after a restart.' }),
    sent: z.boolean().meta({ description: 'Whether the mail server has accepted the email.' }),
    duration_ms: z.number(),
    problem: z
      .object({
        kind: z.enum(MAIL_PROBLEMS),
        message: z.string(),
        status: z.number().nullable().meta({ description: 'The reply code of the mail server, such as 535.' }),
        server_said: z.string().nullable().meta({
          description: 'The words of the mail server or of the connection, without secrets, at most 500 characters.',
        }),
      })
      .nullable(),
  })
  .meta({ id: 'MailTest' });

/** Returns `settings`: the values in force, their sources, and a test of the mail server. */
export function settingsRoutes(options: SettingsRoutesOptions): readonly ManagementRoute[] {
  const { store, inForce, clock, branding, mail } = options;
  const tag = 'Settings';
  const next = () => nextMail(store.settings, inForce);
  const shown = async (maxAgeMs?: number) => {
    const tested = await testedMail({ mail, next });
    const body = {
      object: 'settings' as const,
      ...(await settingsView(store.settings, inForce)),
      forms: settingsForms(),
      branding: brandingView(await branding.current(maxAgeMs)),
      mail: tested && { from: tested.settings.from, pending: tested.isPending },
    };
    return { body, etag: etagOf(shownSections(await store.settings.read())) };
  };
  const answer = { description: 'All settings by section', schema: SETTINGS };
  return [
    route({
      ...{ method: 'get', path: '/settings', operationId: 'getSettings', tag, answer },
      summary: 'Read the settings',
      description:
        'The values in force in the process that responds, and the source of each: the file, the API or the default.',
      access: { who: 'operator', scope: 'settings:read' },
      handle: () => shown(),
    }),
    route({
      ...{ method: 'patch', path: '/settings', operationId: 'updateSettings', tag, answer },
      summary: 'Change settings',
      description:
        'With the members of the configuration file; `null` resets a field. Changes take effect when a gateway starts, except for fields with ' +
        '`applies_at_once`, which take effect within seconds. Fields that the file sets can only be changed there. Fields with `needs_second_factor` ' +
        'require an operator’s session in which a second factor was used within the last 10 minutes, never a management token: otherwise 403, whose ' +
        '`param` names the field.',
      access: { who: 'operator', scope: 'settings:write' },
      body: {
        schema: CHANGE,
        examples: { cache: { summary: 'Cache responses for an hour', value: { cache: { ttl_seconds: 3600 } } } },
      },
      handle: async ({ input, origin, requester, ifMatch }) => {
        const before = await store.settings.read();
        refuseStale(ifMatch, () => etagOf(shownSections(before)), 'what was set');
        await changeSettings({ store: store.settings, inForce, clock }, { origin, requester }, input);
        return shown(0);
      },
    }),
    route({
      ...{ method: 'post', path: '/settings/test-mail', operationId: 'sendTestMail', tag },
      summary: 'Send a test email',
      description:
        'Sends an email to your own address, and responds with its outcome after at most 30 s. If another mail server was set since the start, that one ' +
        'is tested. At most 5 in 10 minutes; management tokens have no address.',
      access: { who: 'operator', scope: 'settings:write' },
      answer: { description: 'The outcome', schema: MAIL_TEST },
      handle: async (call) => ({
        body: await sendTestMail({ people: store.people, clock, mail, next, branding: () => branding.current() }, call),
      }),
    }),
  ];
}
