/**
 * Pictures of numbers. Each has its numbers as a table beside it, since a canvas says nothing to a
 * screen reader.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import type { LessonView } from '../wire.js';
import { Text } from './words.js';

interface Series {
  name: string;
  /** A colour of the stylesheet: `--c1`. */
  colour: string;
  values: (number | null)[];
  dash?: boolean;
  /** Drawn as a line though the picture has bars. */
  line?: boolean;
}

interface Picture {
  title: string;
  days: readonly string[];
  series: readonly Series[];
  /** Bars stand on each other; the order is from the ground up. */
  kind: 'bars' | 'line';
  show: (value: number) => string;
  /** The highest value of the scale; left out, the data decide. */
  top?: number;
  children?: ComponentChildren;
}

export function Chart({ title, days, series, kind, show, top, children }: Picture) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useScheme();
  useEffect(() => {
    const element = place.current!;
    const plot = new uPlot(
      optionsOf({ kind, series, show, top }, element),
      dataOf(kind, days, series),
      element,
    );
    const watch = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    watch.observe(element);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [days, series, kind, scheme]);
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        {children}
        {series.length > 1 && (
          <ul class="legend">
            {series.map(({ name, colour, dash, line = kind === 'line' }) => (
              <li key={name}>
                <i
                  aria-hidden="true"
                  class={`${line ? 'line' : ''} ${dash ? 'dash' : ''}`}
                  style={
                    line ? { borderColor: `var(${colour})` } : { background: `var(${colour})` }
                  }
                />
                {name}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
      <div ref={place} class="plot" aria-hidden="true" />
      <Numbers
        title={title}
        head={['day', ...series.map(({ name }) => name)]}
        rows={days.map((day, at) => [day, ...series.map(({ values }) => shown(values[at], show))])}
      />
    </figure>
  );
}

const shown = (value: number | null | undefined, show: (value: number) => string): string =>
  value === null || value === undefined ? '' : show(value);

export function Numbers({
  title,
  head,
  rows,
}: {
  title: string;
  head: string[];
  rows: string[][];
}) {
  return (
    <details class="numbers">
      <summary>Numbers</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label={`numbers: ${title}`}>
        <table>
          <caption class="hidden">{title}</caption>
          <thead>
            <tr>
              {head.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([first, ...rest]) => (
              <tr key={first}>
                <th scope="row">
                  <Text of={first!} />
                </th>
                {rest.map((value, at) => (
                  <td key={at}>{value}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

const HEIGHT = 180;

/**
 * Changes when the machine goes dark or light: a canvas keeps the colours that it was drawn with.
 */
function useScheme(): boolean {
  const [isDark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)');
    const follow = (): void => setDark(media.matches);
    media.addEventListener('change', follow);
    return () => media.removeEventListener('change', follow);
  }, []);
  return isDark;
}

/** Stacked bars are sums, the highest drawn first so that the lower ones cover it. */
function dataOf(
  kind: Picture['kind'],
  days: readonly string[],
  series: readonly Series[],
): uPlot.AlignedData {
  const seconds = days.map((day) => Date.parse(day.slice(0, 10)) / 1000);
  if (kind === 'line') return [seconds, ...series.map(({ values }) => values)];
  const bars = series.filter(({ line }) => !line);
  const sums = bars.map((_, top) =>
    days.map((_day, at) =>
      bars.slice(0, top + 1).reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
    ),
  );
  return [
    seconds,
    ...sums.reverse(),
    ...series.filter(({ line }) => line).map(({ values }) => values),
  ];
}

function optionsOf(
  { kind, series, show, top }: Pick<Picture, 'kind' | 'series' | 'show' | 'top'>,
  element: HTMLElement,
): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: `11px ${style.fontFamily}`,
  };
  const bars = uPlot.paths.bars!({ size: [0.72, 28], radius: 0.15 });
  const drawn =
    kind === 'line'
      ? series
      : [...series.filter(({ line }) => !line).reverse(), ...series.filter(({ line }) => line)];
  return {
    width: Math.max(element.clientWidth, 100),
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    // Days are those of UTC everywhere.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: {
      x: { time: true, range: (plot) => daysAround(plot.data[0]) },
      y: { range: (_plot, _low, high) => [0, top ?? (high || 1) * 1.08] },
    },
    axes: [
      { ...axis, grid: { show: false }, space: 60, values: (_plot, ticks) => ticks.map(dayOf) },
      { ...axis, size: 56, values: (_plot, ticks) => ticks.map(show) },
    ],
    series: [
      {},
      ...drawn.map(({ colour: name, dash, line }): uPlot.Series => {
        const isLine = kind === 'line' || line === true;
        return {
          stroke: colour(name),
          width: isLine ? 2 : 0,
          points: { show: false },
          ...(isLine ? {} : { fill: colour(name), paths: bars }),
          ...(dash && { dash: [5, 5] }),
        };
      }),
    ],
  };
}

const HALF_DAY = 43_200;
const LEAST_DAYS = 7;

/** Room for the first and the last bar, and for few days no bars as wide as the picture. */
function daysAround(seconds: ArrayLike<number>): [number, number] {
  const [first, last] = [seconds[0] ?? 0, seconds[seconds.length - 1] ?? 0];
  const missing = Math.max(0, LEAST_DAYS * 2 * HALF_DAY - (last - first));
  return [first - HALF_DAY - missing, last + HALF_DAY];
}

/** `11-20`, and the year where it begins. */
function dayOf(seconds: number): string {
  const day = new Date(seconds * 1000).toISOString().slice(0, 10);
  return day.endsWith('-01-01') ? day : day.slice(5);
}

/** How sure a lesson was and will be; the line at which it fades. */
export function ConfidenceCurve({ curve, threshold }: Pick<LessonView, 'curve' | 'threshold'>) {
  const last = curve.findLastIndex(({ ahead }) => !ahead);
  const [days, series] = useMemo(
    (): [string[], Series[]] => [
      curve.map(({ day }) => day),
      [
        {
          name: 'confidence',
          colour: '--c1',
          values: curve.map(({ ahead, confidence }) => (ahead ? null : confidence)),
        },
        {
          name: 'if nothing new is heard',
          colour: '--c1',
          dash: true,
          values: curve.map(({ confidence }, at) => (at >= last ? confidence : null)),
        },
        {
          name: `fades below ${threshold}`,
          colour: '--c4',
          dash: true,
          values: curve.map(() => threshold),
        },
      ],
    ],
    [curve, threshold],
  );
  return (
    <Chart
      title="By active day of the project"
      kind="line"
      top={1}
      days={days}
      series={series}
      show={(value) => value.toFixed(2)}
    />
  );
}
