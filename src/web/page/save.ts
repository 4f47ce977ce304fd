/** What leaves the page: a file that the browser saves, and a text on the clipboard. */

export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** Rejects where the browser does not let a page copy. */
export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
