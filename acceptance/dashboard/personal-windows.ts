import type { DashboardScene, Person, Window } from './scene.ts';

/** One window for each person, which costs a third of a new window per test. */
export class PersonalWindows {
  private readonly windows = new Map<Person, Window>();

  /** Shows a page as a new window would, 900 pixels high. */
  async show(scene: DashboardScene, person: Person, path: string, width = 1280): Promise<Window> {
    const window = this.windows.get(person);
    if (window === undefined) {
      const first = await scene.window(person, { path, width });
      this.windows.set(person, first);
      return first;
    }
    await window.page.setViewportSize({ width, height: 900 });
    await window.anew(path);
    return window;
  }
}
