"""The papers the lessons lean on, by key: one table for all pages. Links are plain; nothing is fetched."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from dpmia_lab.words.said import marked, said


@dataclass(frozen=True)
class Reference:
    authors: str
    year: int
    title: str
    where: str  # conference or journal
    link: str
    letter: str = ""  # what the lessons call it, for the five papers the lab is built on


ARXIV, DOI = "https://arxiv.org/abs/", "https://doi.org/"

REFERENCES = {
    "zhang": Reference(
        "Qiuchen Zhang, Jing Ma, Yonghui Xiao, Jian Lou, Li Xiong", 2020,
        "Broadening Differential Privacy for Deep Learning Against Model Inversion Attacks",
        "IEEE International Conference on Big Data", "https://ieeexplore.ieee.org/document/9378274", "A"),
    "wang": Reference(
        "Tianhao Wang, Yuheng Zhang, Ruoxi Jia", 2021,
        "Improving Robustness to Model Inversion Attacks via Mutual Information Regularization",
        "AAAI Conference on Artificial Intelligence", ARXIV + "2009.05241", "B"),
    "bernau": Reference(
        "Daniel Bernau, Philip-William Grassal, Jonas Robl, Florian Kerschbaum", 2020,
        "Assessing Differentially Private Deep Learning with Membership Inference",
        "preprint", ARXIV + "1912.11328", "C"),
    "lomurno": Reference(
        "Eugenio Lomurno, Alberto Archetti, Francesca Ausonio, Matteo Matteucci", 2023,
        "Discriminative Adversarial Privacy: Balancing Accuracy and Membership Privacy in Neural Networks",
        "British Machine Vision Conference", ARXIV + "2306.03054", "D"),
    "park": Reference(
        "Cheolhee Park, Dowon Hong, Changho Seo", 2019,
        "An Attack-Based Evaluation Method for Differentially Private Learning Against Model Inversion Attack",
        "IEEE Access 7", DOI + "10.1109/ACCESS.2019.2938759", "E"),
    "fredrikson": Reference(
        "Matt Fredrikson, Somesh Jha, Thomas Ristenpart", 2015,
        "Model Inversion Attacks that Exploit Confidence Information and Basic Countermeasures",
        "ACM Conference on Computer and Communications Security", DOI + "10.1145/2810103.2813677"),
    "fredrikson2014": Reference(
        "Matthew Fredrikson, Eric Lantz, Somesh Jha, Simon Lin, David Page, Thomas Ristenpart", 2014,
        "Privacy in Pharmacogenetics: An End-to-End Case Study of Personalized Warfarin Dosing",
        "USENIX Security Symposium",
        "https://www.usenix.org/conference/usenixsecurity14/technical-sessions/presentation/fredrikson_matthew"),
    "iwpc": Reference(
        "International Warfarin Pharmacogenetics Consortium", 2009,
        "Estimation of the Warfarin Dose with Clinical and Pharmacogenetic Data",
        "New England Journal of Medicine 360", DOI + "10.1056/NEJMoa0809329"),
    "adassp": Reference(
        "Yu-Xiang Wang", 2018,
        "Revisiting Differentially Private Linear Regression: Optimal and Adaptive Prediction & Estimation in "
        "Unbounded Domain",
        "Uncertainty in Artificial Intelligence", ARXIV + "1803.02596"),
    "friedman": Reference(
        "Arik Friedman, Assaf Schuster", 2010, "Data Mining with Differential Privacy",
        "ACM International Conference on Knowledge Discovery and Data Mining", DOI + "10.1145/1835804.1835868"),
    "mehnaz": Reference(
        "Shagufta Mehnaz, Sayanton V. Dibbo, Ehsanul Kabir, Ninghui Li, Elisa Bertino", 2022,
        "Are Your Sensitive Attributes Private? Novel Model Inversion Attribute Inference Attacks on Classification "
        "Models",
        "USENIX Security Symposium", ARXIV + "2201.09370"),
    "jayaraman": Reference(
        "Bargav Jayaraman, David Evans", 2022, "Are Attribute Inference Attacks Just Imputation?",
        "ACM Conference on Computer and Communications Security", ARXIV + "2209.01292"),
    "yang": Reference(
        "Ziqi Yang, Jiyi Zhang, Ee-Chien Chang, Zhenkai Liang", 2019,
        "Neural Network Inversion in Adversarial Setting via Background Knowledge Alignment",
        "ACM Conference on Computer and Communications Security", DOI + "10.1145/3319535.3354261"),
    "zhang-gmi": Reference(
        "Yuheng Zhang, Ruoxi Jia, Hengzhi Pei, Wenxiao Wang, Bo Li, Dawn Song", 2020,
        "The Secret Revealer: Generative Model-Inversion Attacks Against Deep Neural Networks",
        "IEEE Conference on Computer Vision and Pattern Recognition", ARXIV + "1911.07135"),
    "salem": Reference(
        "Ahmed Salem, Apratim Bhattacharya, Michael Backes, Mario Fritz, Yang Zhang", 2020,
        "Updates-Leak: Data Set Inference and Reconstruction Attacks in Online Learning",
        "USENIX Security Symposium", ARXIV + "1904.01067"),
    "alemi": Reference(
        "Alexander A. Alemi, Ian Fischer, Joshua V. Dillon, Kevin Murphy", 2017,
        "Deep Variational Information Bottleneck",
        "International Conference on Learning Representations", ARXIV + "1612.00410"),
    "guo": Reference(
        "Chuan Guo, Geoff Pleiss, Yu Sun, Kilian Q. Weinberger", 2017, "On Calibration of Modern Neural Networks",
        "International Conference on Machine Learning", ARXIV + "1706.04599"),
    "struppek": Reference(
        "Lukas Struppek, Dominik Hintersdorf, Kristian Kersting", 2024,
        "Be Careful What You Smooth For: Label Smoothing Can Be a Privacy Shield but Also a Catalyst for Model "
        "Inversion Attacks",
        "International Conference on Learning Representations", ARXIV + "2310.06549"),
    "ssim": Reference(
        "Zhou Wang, Alan C. Bovik, Hamid R. Sheikh, Eero P. Simoncelli", 2004,
        "Image Quality Assessment: From Error Visibility to Structural Similarity",
        "IEEE Transactions on Image Processing 13", DOI + "10.1109/TIP.2003.819861"),
    "samaria": Reference(
        "Ferdinando S. Samaria, Andy C. Harter", 1994,
        "Parameterisation of a Stochastic Model for Human Face Identification",
        marked("IEEE Workshop on Applications of Computer Vision (the AT&T faces)"), DOI + "10.1109/ACV.1994.341300"),
    "dwork": Reference(
        "Cynthia Dwork, Frank McSherry, Kobbi Nissim, Adam Smith", 2006,
        "Calibrating Noise to Sensitivity in Private Data Analysis",
        "Theory of Cryptography Conference", DOI + "10.1007/11681878_14"),
    "abadi": Reference(
        "Martín Abadi, Andy Chu, Ian Goodfellow, H. Brendan McMahan, Ilya Mironov, Kunal Talwar, Li Zhang", 2016,
        "Deep Learning with Differential Privacy",
        "ACM Conference on Computer and Communications Security", ARXIV + "1607.00133"),
    "mironov": Reference(
        "Ilya Mironov", 2017, "Rényi Differential Privacy",
        "IEEE Computer Security Foundations Symposium", ARXIV + "1702.07476"),
    "koskela": Reference(
        "Antti Koskela, Joonas Jälkö, Antti Honkela", 2020,
        "Computing Tight Differential Privacy Guarantees Using FFT",
        "International Conference on Artificial Intelligence and Statistics", ARXIV + "1906.03049"),
    "dong": Reference(
        "Jinshuo Dong, Aaron Roth, Weijie J. Su", 2022, "Gaussian Differential Privacy",
        "Journal of the Royal Statistical Society B 84", ARXIV + "1905.02383"),
    "kulynych": Reference(
        "Bogdan Kulynych, Juan Felipe Gomez, Georgios Kaissis, Jamie Hayes, Borja Balle, Flavio P. Calmon, "
        "Jean Louis Raisaro", 2025,
        "Unifying Re-Identification, Attribute Inference, and Data Reconstruction Risks in Differential Privacy",
        "Advances in Neural Information Processing Systems", ARXIV + "2507.06969"),
    "shokri": Reference(
        "Reza Shokri, Marco Stronati, Congzheng Song, Vitaly Shmatikov", 2017,
        "Membership Inference Attacks Against Machine Learning Models",
        "IEEE Symposium on Security and Privacy", ARXIV + "1610.05820"),
    "yeom": Reference(
        "Samuel Yeom, Irene Giacomelli, Matt Fredrikson, Somesh Jha", 2018,
        "Privacy Risk in Machine Learning: Analyzing the Connection to Overfitting",
        "IEEE Computer Security Foundations Symposium", ARXIV + "1709.01604"),
    "nasr": Reference(
        "Milad Nasr, Reza Shokri, Amir Houmansadr", 2019,
        "Comprehensive Privacy Analysis of Deep Learning: Passive and Active White-box Inference Attacks against "
        "Centralized and Federated Learning",
        "IEEE Symposium on Security and Privacy", ARXIV + "1812.00910"),
    "carlini": Reference(
        "Nicholas Carlini, Steve Chien, Milad Nasr, Shuang Song, Andreas Terzis, Florian Tramèr", 2022,
        "Membership Inference Attacks From First Principles",
        "IEEE Symposium on Security and Privacy", ARXIV + "2112.03570"),
    "zarifzadeh": Reference(
        "Sajjad Zarifzadeh, Philippe Liu, Reza Shokri", 2024,
        "Low-Cost High-Power Membership Inference Attacks",
        "International Conference on Machine Learning", ARXIV + "2312.03262"),
    "nasr2018": Reference(
        "Milad Nasr, Reza Shokri, Amir Houmansadr", 2018,
        "Machine Learning with Membership Privacy using Adversarial Regularization",
        "ACM Conference on Computer and Communications Security", ARXIV + "1807.05852"),
    "relaxloss": Reference(
        "Dingfan Chen, Ning Yu, Mario Fritz", 2022,
        "RelaxLoss: Defending Membership Inference Attacks without Losing Utility",
        "International Conference on Learning Representations", ARXIV + "2207.05801"),
    "hamp": Reference(
        "Zitao Chen, Karthik Pattabiraman", 2024,
        "Overconfidence is a Dangerous Thing: Mitigating Membership Inference Attacks by Enforcing Less Confident "
        "Prediction",
        "Network and Distributed System Security Symposium", ARXIV + "2307.01610"),
    "aerni": Reference(
        "Michael Aerni, Jie Zhang, Florian Tramèr", 2024,
        "Evaluations of Machine Learning Privacy Defenses are Misleading",
        "ACM Conference on Computer and Communications Security", ARXIV + "2404.17399"),
    "jagielski": Reference(
        "Matthew Jagielski, Jonathan Ullman, Alina Oprea", 2020,
        "Auditing Differentially Private Machine Learning: How Private is Private SGD?",
        "Advances in Neural Information Processing Systems", ARXIV + "2006.07709"),
    "steinke": Reference(
        "Thomas Steinke, Milad Nasr, Matthew Jagielski", 2023,
        "Privacy Auditing with One (1) Training Run",
        "Advances in Neural Information Processing Systems", ARXIV + "2305.08846"),
    "warner": Reference(
        "Stanley L. Warner", 1965,
        "Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias",
        "Journal of the American Statistical Association 60", DOI + "10.1080/01621459.1965.10480775"),
    "fan": Reference(
        "Liyue Fan", 2018, "Image Pixelization with Differential Privacy",
        "Data and Applications Security and Privacy", DOI + "10.1007/978-3-319-95729-6_10"),
}  # fmt: skip


def references_html(keys: Iterable[str]) -> str:
    """A list: the lab's own letter where there is one, authors, year, title with its link, where it appeared."""
    return f'<ul class="dp-references">{"".join(reference_html(REFERENCES[key]) for key in keys)}</ul>'


def reference_html(one: Reference) -> str:
    letter = f"<b>{said('Paper {letter}.', letter=one.letter)}</b> " if one.letter else ""
    link = f'<a href="{escape(one.link)}" target="_blank" rel="noopener noreferrer">{escape(one.title)}</a>'
    return f"<li>{letter}{escape(one.authors)} ({one.year}). {link}. {escape(said(one.where))}.</li>"
