/** An object that stores its position in its bag. */
export interface Bagged {
  /** Managed by the bag; `NOWHERE` at first. */
  place: number;
}

export const NOWHERE = -1;

/**
 * An unordered set for objects that come and go with every request.
 *
 * JavaScriptCore's `Set` and `Map` keep allocating new tables while members come and go, and each old table refers to its
 * successor. Once one of them has survived a collection, everything that was ever in a later one survives every collection except
 * a full one: of 1,000 requests whose bodies were members for a millisecond, 790 stayed in memory with everything they referred
 * to, and each collection took longer than the last. Here nothing refers to a member that has left.
 */
export class Bag<Member extends Bagged> {
  private readonly members: Member[] = [];

  get size(): number {
    return this.members.length;
  }

  /** One of the members, in constant time; `undefined` if the bag is empty. */
  get any(): Member | undefined {
    return this.members.at(-1);
  }

  /** Adds a member, which must not be in a bag. */
  add(member: Member): void {
    member.place = this.members.push(member) - 1;
  }

  /** Does nothing if the member is not in the bag. */
  delete(member: Member): void {
    const { place } = member;
    if (this.members[place] !== member) return;
    member.place = NOWHERE;
    const last = this.members.pop();
    if (last === undefined || last === member) return;
    this.members[place] = last;
    last.place = place;
  }

  /** Iterates over the current members, except those that leave before their turn. */
  *[Symbol.iterator](): Iterator<Member> {
    for (const member of [...this.members]) if (member.place !== NOWHERE) yield member;
  }
}
