import type { LocalActor } from '../domain/access/actor.ts';
import { applyAlerts } from '../engine/admin/alerts/apply-alerts.ts';
import { type AuditedStore, localOrigin } from '../engine/admin/audit/audit-trail.ts';
import { syncSandboxChannel } from '../engine/admin/channels/sync-environment-channels.ts';
import { type AppliedConfiguration, applyConfiguration } from '../engine/admin/configuration/apply-configuration.ts';
import type { Configuration } from '../engine/admin/configuration/configuration.ts';
import { grantOpeningBalances, type OpeningBalances } from '../engine/admin/ledger/change-ledger.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { ProviderManifest } from '../providers/manifest.ts';

export interface FileToApply {
  readonly configuration: Configuration;
  readonly providers: ReadonlyMap<string, ProviderManifest>;
  readonly clock: Clock;
  /** The actor in the audit log. */
  readonly actor: LocalActor;
  /** Whether to continue if more than half of many objects would be removed. */
  readonly allowRemovals?: boolean;
}

export type AppliedFile = AppliedConfiguration & Pick<OpeningBalances, 'granted'>;

/** Makes the accounts, keys, models, channels and alerts match the file. A running gateway applies the changes at once. */
export async function applyFile(
  { directory, ledger, trail, alerts }: AuditedStore,
  { configuration, providers, clock, actor, allowRemovals = false }: FileToApply,
): Promise<AppliedFile> {
  const result = await applyConfiguration(directory, clock, configuration, { allowRemovals });
  const sandbox = await syncSandboxChannel(directory, { providers, sandbox: configuration.sandbox });
  const opening = await grantOpeningBalances({ ledger, trail }, clock, configuration);
  const told = await applyAlerts({ alerts, clock, origin: localOrigin(actor) }, configuration.alerts);
  return {
    ...result,
    granted: opening.granted,
    notices: [...result.notices, ...opening.notices],
    created: [...result.created, ...sandbox.created.map(channelLabel), ...told.created],
    updated: [...result.updated, ...told.updated],
    removed: [...result.removed, ...sandbox.removed.map(channelLabel), ...told.removed],
  };
}

function channelLabel(id: string): string {
  return `channel ${id}`;
}
