/** Numbers by which Linux tells file systems of other machines (`statfs.f_type`, linux/magic.h). */
const KINDS: Record<number, string> = {
  0x6969: 'a network folder (NFS)',
  0xff534d42: 'a network folder (CIFS)',
  0xfe534d42: 'a network folder (SMB)',
  0x517b: 'a network folder (SMB)',
  0x01021997: 'a folder of another system (9p)',
  0x65735546: 'a mounted folder (FUSE)',
  0x5346414f: 'a network folder (AFS)',
  0x00c36400: 'a network folder (Ceph)',
};

/** What kind of foreign volume a folder lies on, in words; null for a disk of this machine, or where the system does not tell. */
export const networkVolume = (type: number): string | null => KINDS[type] ?? null;
