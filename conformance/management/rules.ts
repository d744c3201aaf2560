import type { MemberRole } from '../../src/domain/access/member.ts';
import type { Scope } from '../../src/domain/access/scopes.ts';

/**
 * Who may do what: written here by hand, so that a route that opens more than was meant is found. `operator`: operators alone;
 * `person`: who has signed in; `anyone`: without a credential; else the least role in the account.
 */
export type Rule = 'anyone' | 'person' | readonly [who: MemberRole | 'operator', scope: Scope];

export const RULES: Readonly<Record<string, Rule>> = {
  archiveAccount: ['operator', 'accounts:write'],
  clearCache: ['owner', 'cache:write'],
  createAccount: ['operator', 'accounts:write'],
  createKey: ['member', 'keys:write'],
  exportAudit: ['owner', 'audit:read'],
  createToken: ['owner', 'tokens:write'],
  failTask: ['operator', 'tasks:write'],
  getAccount: ['viewer', 'account:read'],
  getAccountById: ['operator', 'accounts:read'],
  getCacheEntry: ['viewer', 'cache:read'],
  getCacheStatistics: ['operator', 'cache:read'],
  getKey: ['viewer', 'keys:read'],
  getManagedTask: ['viewer', 'tasks:read'],
  getSettings: ['operator', 'settings:read'],
  getSystem: ['operator', 'system:read'],
  invalidateCacheEntry: ['member', 'cache:write'],
  listAccounts: ['operator', 'accounts:read'],
  listAudit: ['owner', 'audit:read'],
  listCacheEntries: ['viewer', 'cache:read'],
  listCacheReports: ['viewer', 'cache:read'],
  listKeys: ['viewer', 'keys:read'],
  listManagedTasks: ['viewer', 'tasks:read'],
  restoreAccount: ['operator', 'accounts:write'],
  retryTaskPoll: ['operator', 'tasks:write'],
  revokeKey: ['member', 'keys:write'],
  updateAccount: ['owner', 'account:write'],
  updateAccountById: ['operator', 'accounts:write'],
  updateKey: ['member', 'keys:write'],
  updateSettings: ['operator', 'settings:write'],
  getToken: ['owner', 'tokens:read'],
  listTokens: ['owner', 'tokens:read'],
  revokeToken: ['owner', 'tokens:write'],
  rotateKey: ['member', 'keys:write'],
  rotateToken: ['owner', 'tokens:write'],
  updateToken: ['owner', 'tokens:write'],
  getLimits: ['viewer', 'limits:read'],
  listKeyLimits: ['viewer', 'limits:read'],
  adjustBalance: ['operator', 'balance:write'],
  getBalance: ['viewer', 'balance:read'],
  getRequest: ['viewer', 'requests:read'],
  getUsage: ['viewer', 'usage:read'],
  grantBalance: ['operator', 'balance:write'],
  listLedger: ['viewer', 'balance:read'],
  listRequests: ['viewer', 'requests:read'],
  verifyLedger: ['operator', 'balance:read'],
};
