/** What a person may do in an account, the most first: each may do what those after it may. */
export const MEMBER_ROLES = ['owner', 'member', 'viewer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export interface Membership {
  readonly accountId: string;
  readonly role: MemberRole;
}

/** Whether `role` may do what `wanted` may. */
export function isAtLeast(role: MemberRole, wanted: MemberRole): boolean {
  return MEMBER_ROLES.indexOf(role) <= MEMBER_ROLES.indexOf(wanted);
}
