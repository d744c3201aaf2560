import type { Guard } from '../domain/guards/guard.ts';
import { ModerationCheck, type ModerationCheckPorts } from '../engine/guard-checks/moderation-check.ts';
import { WebhookCheck } from '../engine/guard-checks/webhook-check.ts';
import type { GuardCheck, GuardChecks } from '../engine/guards/guard-check.ts';
import type { AlertSettings } from '../engine/settings/settings.ts';
import { GuardedWebhooks } from '../upstream/guarded-webhooks.ts';
import { newId } from './system.ts';

/** Creates the checks of guards. Webhooks follow the same rules for addresses as those of alerts. */
export function createGuardChecks(settings: AlertSettings, ports: ModerationCheckPorts): GuardChecks {
  const sender = new GuardedWebhooks({ settings });
  const made = new WeakMap<Guard, readonly GuardCheck[]>();
  const checksOf = (guard: Guard): readonly GuardCheck[] => {
    const { moderation, webhook } = guard;
    return [
      ...(moderation === undefined ? [] : [new ModerationCheck(ports, moderation)]),
      ...(webhook === undefined ? [] : [new WebhookCheck({ sender, clock: ports.clock, newId }, guard, webhook)]),
    ];
  };
  return {
    of: (guard) => {
      const known = made.get(guard) ?? checksOf(guard);
      made.set(guard, known);
      return known;
    },
  };
}
