/** Processor time that this process has used, in milliseconds, all its threads together. */
export const processorMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
