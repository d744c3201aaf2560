/** The roles of an account's members, most powerful first: each may do everything that later ones may. */
export const MEMBER_ROLES = ['owner', 'member', 'viewer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export interface Membership {
  readonly accountId: string;
  readonly role: MemberRole;
}

/** Returns whether `role` includes `wanted`. */
export function isAtLeast(role: MemberRole, wanted: MemberRole): boolean {
  return MEMBER_ROLES.indexOf(role) <= MEMBER_ROLES.indexOf(wanted);
}
