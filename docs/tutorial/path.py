"""The ways of the frisbee and of the robots in a recorded run, drawn to tutorial/path.png."""
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd

poses = pd.read_parquet("tutorial/tables/poses.parquet")
frisbee = poses[poses.name == "frisbee"][["x", "y"]]
robots = poses[poses.name != "frisbee"]

figure, axes = plt.subplots(figsize=(7, 5.5))
for name, way in robots.groupby("name"):
    axes.plot(way.x, way.y, linewidth=0.6, label=name)
# Where the frisbee was put back near the centre its way has a gap.
way = frisbee.where(frisbee.x.diff().abs() < 0.05)
axes.plot(way.x, way.y, linewidth=3, color="tab:blue", label="frisbee")
axes.set(xlabel="x, m", ylabel="y, m", xlim=(-1, 1), ylim=(-0.75, 0.75), aspect="equal")
axes.legend(fontsize="small")
figure.savefig("tutorial/path.png")

steps = robots.groupby("name")[["x", "y"]].diff()
driven = (steps**2).sum(axis=1).pow(0.5).groupby(robots.name).sum()
print(f"{len(driven)} robots drove {driven.min():.1f} to {driven.max():.1f} m")
