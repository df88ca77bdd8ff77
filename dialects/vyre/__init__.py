"""
The `vyre` dialect: GPU programs with grid-wide barriers.

Scalars are `arith` and `math`, control flow is `scf`; this dialect has what is special:
programs, buffers, barriers, ids and launches. Read the modules in this order:
`structure`, `buffers`, `accesses`, `sync`, `ids`, `subgroups`, `cells`, `collectives`,
`host`, `megakernel`.
"""

from xdsl.ir import Dialect

from vyre.dialects.vyre.accesses import (
    AtomicCasOp,
    AtomicOp,
    LengthOp,
    LoadOp,
    StoreOp,
)
from vyre.dialects.vyre.attributes import (
    AccessAttr,
    AtomicKindAttr,
    AxisAttr,
    CellType,
    LinearScopeAttr,
    LocalityAttr,
    MemoryKindAttr,
    OrderingAttr,
    ReduceKindAttr,
    ScratchScopeAttr,
    TokenType,
)
from vyre.dialects.vyre.buffers import BufferOp, ParamOp
from vyre.dialects.vyre.cells import AssignOp, GetOp, LetOp
from vyre.dialects.vyre.collectives import (
    AllGatherOp,
    AllReduceOp,
    BroadcastOp,
    ReduceScatterOp,
)
from vyre.dialects.vyre.host import (
    LaunchOp,
    ReadBackOp,
    ScheduleOp,
    ScratchOp,
    WorkgroupsOp,
)
from vyre.dialects.vyre.ids import (
    InvocationIdOp,
    LinearIdOp,
    LocalIdOp,
    WorkgroupCountOp,
    WorkgroupIdOp,
    WorkgroupSizeOp,
)
from vyre.dialects.vyre.megakernel import MegakernelOp, WaveOp
from vyre.dialects.vyre.structure import (
    ProgramOp,
    RegionOp,
    ReturnOp,
    TrapOp,
    YieldOp,
)
from vyre.dialects.vyre.subgroups import (
    SubgroupBallotOp,
    SubgroupLocalIdOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
    SubgroupSizeOp,
)
from vyre.dialects.vyre.sync import (
    AsyncLoadOp,
    AsyncStoreOp,
    AsyncWaitOp,
    BarrierOp,
)

Vyre = Dialect(
    "vyre",
    [
        # Structure
        ProgramOp,
        RegionOp,
        YieldOp,
        ReturnOp,
        TrapOp,
        # Buffers
        BufferOp,
        ParamOp,
        LoadOp,
        StoreOp,
        AtomicOp,
        AtomicCasOp,
        LengthOp,
        # Variables
        LetOp,
        GetOp,
        AssignOp,
        # Ids
        InvocationIdOp,
        WorkgroupIdOp,
        LocalIdOp,
        WorkgroupCountOp,
        WorkgroupSizeOp,
        LinearIdOp,
        # Subgroups
        SubgroupBallotOp,
        SubgroupShuffleOp,
        SubgroupReduceOp,
        SubgroupLocalIdOp,
        SubgroupSizeOp,
        # Synchronisation
        BarrierOp,
        AsyncLoadOp,
        AsyncStoreOp,
        AsyncWaitOp,
        # Collectives
        AllReduceOp,
        AllGatherOp,
        ReduceScatterOp,
        BroadcastOp,
        # Host
        ScheduleOp,
        WorkgroupsOp,
        LaunchOp,
        ScratchOp,
        ReadBackOp,
        # Megakernels
        MegakernelOp,
        WaveOp,
    ],
    [
        AccessAttr,
        AtomicKindAttr,
        AxisAttr,
        CellType,
        LinearScopeAttr,
        LocalityAttr,
        MemoryKindAttr,
        OrderingAttr,
        ReduceKindAttr,
        ScratchScopeAttr,
        TokenType,
    ],
)
