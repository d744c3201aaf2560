import type { DescribedTag } from '../shared/openapi/described-endpoint.ts';

/** The groups of the management API, in the order of its documents. */
export const MANAGEMENT_TAGS = [
  { name: 'Account', description: 'The account in question: what it is, and what it may.' },
  { name: 'Keys', description: 'API keys (`sk-…`): for inference. The secret is shown once.' },
  {
    name: 'Tokens',
    description: 'Management tokens (`mt-…`): for this API. The secret is shown when a token is made or rotated.',
  },
  { name: 'People', description: 'Users, their roles in accounts, invitations and sessions.' },
  { name: 'Channels', description: 'Ways to upstream providers: those that all share, and those of one account.' },
  { name: 'Models', description: 'Public models: status, prices, contract, and what is known of them.' },
  { name: 'Catalog', description: 'Public price lists, looked at and taken over.' },
  { name: 'Providers', description: 'The providers that channels can have, with what each needs to be told.' },
  { name: 'Balance', description: 'Balance, ledger, grants and adjustments.' },
  { name: 'Usage', description: 'Sums of requests, tokens and cost.' },
  { name: 'Requests', description: 'The request log.' },
  { name: 'Tasks', description: 'Asynchronous generations, as operators see them.' },
  { name: 'Cache', description: 'Entries of the answer cache, and what clients have reported of them.' },
  { name: 'Alerts', description: 'Thresholds, and where alerts are sent.' },
  { name: 'Accounts', description: 'All accounts: for operators.' },
  { name: 'Audit', description: 'Who has changed what.' },
  { name: 'Settings', description: 'What is in force, and where it comes from.' },
  { name: 'System', description: 'Version, nodes, database.' },
] as const satisfies readonly DescribedTag[];
