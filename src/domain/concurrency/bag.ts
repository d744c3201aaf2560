/** Has room for where it stands in its bag. */
export interface Bagged {
  /** The bag's own; `NOWHERE` at first. */
  place: number;
}

export const NOWHERE = -1;

/**
 * A set, in no order, of what comes and goes with every request.
 *
 * A `Set` or a `Map` of JavaScriptCore makes a new table again and again while members come and go, and each old table leads to its
 * successor. Once one of them has outlived a collection, all that were ever in the later ones outlive every collection but a full one:
 * of 1,000 requests whose bodies were members for a millisecond, 790 stayed in memory with all that they had, and each collection took
 * longer than the one before. Here a member that has left is held by nothing.
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

  /** It must not be in a bag. */
  add(member: Member): void {
    member.place = this.members.push(member) - 1;
  }

  /** Nothing happens where it is not there. */
  delete(member: Member): void {
    const { place } = member;
    if (this.members[place] !== member) return;
    member.place = NOWHERE;
    const last = this.members.pop();
    if (last === undefined || last === member) return;
    this.members[place] = last;
    last.place = place;
  }

  /** Those that are there now, without those that leave before their turn. */
  *[Symbol.iterator](): Iterator<Member> {
    for (const member of [...this.members]) if (member.place !== NOWHERE) yield member;
  }
}
