/** Every place of a JSON tree that holds a value, outer ones first. */
interface TreePlace {
  holder: Record<string, unknown>;
  key: string;
}

export function placesOf(tree: unknown): TreePlace[] {
  const places: TreePlace[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      places.push({ holder: node as Record<string, unknown>, key });
      walk((node as Record<string, unknown>)[key]);
    }
  };
  walk(tree);
  return places;
}
